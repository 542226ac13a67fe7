//! How the fields of a row are columns: each type is written and read here, once, and `frame_row!`
//! declares which fields a frame has.

use super::super::{Level, Scope, Status};
use domain::{ADDED, JobKey, Point, Precision, Split, Stage, TrainingVerdict};
use polars::prelude::*;
use std::collections::BTreeMap;

/// Declares a row and its frame: the columns are the fields in their order, under their names. `=
/// "name"` gives a column another name, and `as Form` another form than that of its type.
macro_rules! frame_row {
    (
        $(#[$meta:meta])*
        pub struct $Row:ident {
            $($(#[$doc:meta])* pub $field:ident: $Type:ty $(as $Form:ty)? $(= $name:literal)?,)*
        }
    ) => {
        $(#[$meta])*
        pub struct $Row {
            $($(#[$doc])* pub $field: $Type,)*
        }

        impl $crate::frames::FrameRow for $Row {
            fn columns(rows: &[Self]) -> Vec<polars::prelude::Column> {
                use $crate::frames::Form;
                let mut columns = Vec::new();
                $(<$crate::frames::form!($Type $(, $Form)?)>::write(
                    $crate::frames::name!($field $($name)?),
                    rows.iter().map(|row| &row.$field),
                    &mut columns,
                );)*
                columns
            }

            fn rows(frame: &polars::prelude::DataFrame) -> Result<Vec<Self>, String> {
                use $crate::frames::Form;
                $(let $field = <$crate::frames::form!($Type $(, $Form)?)>::read(
                    frame,
                    $crate::frames::name!($field $($name)?),
                )?;)*
                $(let mut $field = $field.into_iter();)*
                let row = |_| Some(Self { $($field: $field.next()?,)* });
                let rows: Option<Vec<Self>> = (0..frame.height()).map(row).collect();
                Ok(rows.expect("the columns of a frame are of one length"))
            }
        }
    };
}

/// The form of a field: that of its type, or another one.
macro_rules! form {
    ($Type:ty) => {
        $Type
    };
    ($Type:ty, $Form:ty) => {
        $Form
    };
}

/// The name of a field's column.
macro_rules! name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $name:literal) => {
        $name
    };
}

pub(in super::super) use {form, frame_row, name};

/// A row of a frame.
pub(in super::super) trait FrameRow: Sized {
    /// The columns in their order.
    fn columns(rows: &[Self]) -> Vec<Column>;

    /// The rows of a frame; the error names what it lacks.
    fn rows(frame: &DataFrame) -> Result<Vec<Self>, String>;

    /// The frame of some rows.
    fn frame(rows: &[Self]) -> DataFrame {
        DataFrame::new(rows.len(), Self::columns(rows)).expect("columns of one length")
    }
}

/// How values are columns: usually one.
pub(in super::super) trait Form {
    type Value: 'static;

    fn write<'r>(
        name: &str,
        values: impl Iterator<Item = &'r Self::Value> + Clone,
        columns: &mut Vec<Column>,
    );

    fn read(frame: &DataFrame, name: &str) -> Result<Vec<Self::Value>, String>;
}

/// A value of a column of its own, which holds one in every row, or may lack some as an `Option`.
trait CellValue: Sized + 'static {
    /// As a message calls it.
    const KIND: &str;

    fn column<'r>(name: &str, values: impl Iterator<Item = Option<&'r Self>>) -> Column;

    /// The values of a column; the error names one that cannot be, or nothing where all are of
    /// another kind.
    fn values(column: &Column) -> Result<Vec<Option<Self>>, Option<String>>;
}

impl<V: CellValue> Form for V {
    type Value = V;

    fn write<'r>(
        name: &str,
        values: impl Iterator<Item = &'r V> + Clone,
        columns: &mut Vec<Column>,
    ) {
        columns.push(V::column(name, values.map(Some)));
    }

    fn read(frame: &DataFrame, name: &str) -> Result<Vec<V>, String> {
        let values = Option::<V>::read(frame, name)?;
        values.into_iter().collect::<Option<_>>().ok_or_else(|| wrong(name, V::KIND))
    }
}

impl<V: CellValue> Form for Option<V> {
    type Value = Option<V>;

    fn write<'r>(
        name: &str,
        values: impl Iterator<Item = &'r Option<V>> + Clone,
        columns: &mut Vec<Column>,
    ) {
        columns.push(V::column(name, values.map(Option::as_ref)));
    }

    fn read(frame: &DataFrame, name: &str) -> Result<Vec<Option<V>>, String> {
        let column = frame.column(name).map_err(|_| format!("it has no column `{name}`"))?;
        V::values(column).map_err(|unknown| match unknown {
            Some(text) => format!("`{text}` in column `{name}` is not known"),
            None => wrong(name, V::KIND),
        })
    }
}

fn wrong(name: &str, expected: &str) -> String {
    format!("column `{name}` does not hold {expected} in every row")
}

/// Numbers and truth values, which Polars has as they are.
macro_rules! plain {
    ($($Type:ty, $chunked:ident, $kind:literal;)*) => {$(
        impl CellValue for $Type {
            const KIND: &str = $kind;

            fn column<'r>(name: &str, values: impl Iterator<Item = Option<&'r Self>>) -> Column {
                let values: Vec<Option<Self>> = values.map(Option::<&Self>::copied).collect();
                Column::new(name.into(), values)
            }

            fn values(column: &Column) -> Result<Vec<Option<Self>>, Option<String>> {
                Ok(column.$chunked().map_err(|_| None)?.iter().collect())
            }
        }
    )*};
}

plain! {
    u64, u64, "a whole number";
    f64, f64, "a number";
    bool, bool, "true or false";
}

/// What has a text of its own.
macro_rules! text {
    ($($Type:ty, $kind:literal, |$value:ident| $text:expr, |$read:ident| $from:expr;)*) => {$(
        impl CellValue for $Type {
            const KIND: &str = $kind;

            fn column<'r>(name: &str, values: impl Iterator<Item = Option<&'r Self>>) -> Column {
                let text = |$value: &'r Self| -> &'r str { $text };
                let values: Vec<Option<&str>> = values.map(|value| value.map(text)).collect();
                Column::new(name.into(), values)
            }

            fn values(column: &Column) -> Result<Vec<Option<Self>>, Option<String>> {
                let from = |$read: &str| -> Option<Self> { $from };
                let known = |text: &str| from(text).ok_or_else(|| Some(text.to_owned()));
                let texts = column.str().map_err(|_| None)?;
                texts.iter().map(|text| text.map(known).transpose()).collect()
            }
        }
    )*};
}

text! {
    String, "a text", |value| value, |text| Some(text.to_owned());
    JobKey, "a text", |job| &job.0, |text| Some(JobKey(text.to_owned()));
    Stage, "a text", |it| it.name(), |text| of([Stage::Main, Stage::Trial], Stage::name, text);
    Status, "a text", |it| it.name(), |text| of([Status::Done, Status::Failed], Status::name, text);
    Split, "a text", |it| it.name(), |text| of([Split::Dev, Split::Test], Split::name, text);
    Level, "a text", |it| it.name(), |text| of(Level::ALL, Level::name, text);
    Scope, "a text", |it| it.name(), |text| of(Scope::ALL, Scope::name, text);
    Precision, "a text", |it| it.word(),
        |text| of([Precision::F32, Precision::Bf16], Precision::word, text);
    TrainingVerdict, "the name of a training verdict, or nothing,", |it| it.name(), |text| TrainingVerdict::named(text);
}

/// The one of `all` that has the name.
fn of<T: Copy, const N: usize>(all: [T; N], name: fn(T) -> &'static str, text: &str) -> Option<T> {
    all.into_iter().find(|one| name(*one) == text)
}

/// A point is five columns, by its own names.
impl Form for Point {
    type Value = Point;

    fn write<'r>(
        _: &str,
        points: impl Iterator<Item = &'r Point> + Clone,
        columns: &mut Vec<Column>,
    ) {
        String::write("corpus", points.clone().map(|point| &point.corpus), columns);
        String::write("scenario", points.clone().map(|point| &point.scenario), columns);
        String::write("model", points.clone().map(|point| &point.model), columns);
        String::write("method", points.clone().map(|point| &point.method), columns);
        u64::write("seed", points.map(|point| &point.seed), columns);
    }

    fn read(frame: &DataFrame, _: &str) -> Result<Vec<Point>, String> {
        let texts = |name| String::read(frame, name).map(Vec::into_iter);
        let [mut corpora, mut scenarios] = [texts("corpus")?, texts("scenario")?];
        let [mut models, mut methods] = [texts("model")?, texts("method")?];
        let point = |seed| {
            Some(Point {
                corpus: corpora.next()?,
                scenario: scenarios.next()?,
                model: models.next()?,
                method: methods.next()?,
                seed,
            })
        };
        let points: Option<_> = u64::read(frame, "seed")?.into_iter().map(point).collect();
        Ok(points.expect("the columns of a frame are of one length"))
    }
}

/// Numbers by name, as JSON; missing where there is none.
pub(in super::super) struct Shares;

impl Form for Shares {
    type Value = BTreeMap<String, f64>;

    fn write<'r>(
        name: &str,
        shares: impl Iterator<Item = &'r Self::Value> + Clone,
        columns: &mut Vec<Column>,
    ) {
        let json =
            |shares| serde_json::to_string(shares).expect("names and numbers have a JSON form");
        let values: Vec<Option<String>> =
            shares.map(|shares| (!shares.is_empty()).then(|| json(shares))).collect();
        Option::<String>::write(name, values.iter(), columns);
    }

    fn read(frame: &DataFrame, name: &str) -> Result<Vec<Self::Value>, String> {
        let shares = |text: Option<String>| match text {
            None => Ok(BTreeMap::new()),
            Some(text) => serde_json::from_str(&text).map_err(|_| wrong(name, "shares by type")),
        };
        Option::<String>::read(frame, name)?.into_iter().map(shares).collect()
    }
}

/// What methods add to an epoch: each name that there is has a column.
pub(in super::super) struct AddedColumns;

impl Form for AddedColumns {
    type Value = BTreeMap<String, f64>;

    fn write<'r>(
        _: &str,
        added: impl Iterator<Item = &'r Self::Value> + Clone,
        columns: &mut Vec<Column>,
    ) {
        for name in ADDED {
            columns.push(f64::column(name, added.clone().map(|added| added.get(*name))));
        }
    }

    fn read(frame: &DataFrame, _: &str) -> Result<Vec<Self::Value>, String> {
        let mut all = vec![BTreeMap::new(); frame.height()];
        for name in ADDED {
            for (added, value) in all.iter_mut().zip(Option::<f64>::read(frame, name)?) {
                added.extend(value.map(|value| ((*name).to_owned(), value)));
            }
        }
        Ok(all)
    }
}
