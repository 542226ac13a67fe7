//! Figures: one file a figure, each a function from the scores to a scene; the same scene is written
//! as SVG and as PNG.

mod axis;
mod displacement;
mod draw;
mod font;
mod labels;
mod legend;
pub mod palette;
mod plane;
mod scene;

use super::artefact::{Artefact, ReportError};
use super::view::{GridView, Panel, Scoreboard};

/// A drawn figure.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// File name without ending.
    pub name: String,
    pub title: String,
    /// What it shows, for readers who do not see it.
    pub description: String,
    /// What to look for.
    pub caption: String,
    pub svg: String,
    pub png: Vec<u8>,
    /// Names that the PNG could not show as they are.
    pub escaped: Vec<String>,
}

/// The precision-recall displacement plot of one panel.
pub fn displacement(
    view: &GridView,
    board: &Scoreboard,
    panel: &Panel,
    name: String,
) -> Result<Figure, ReportError> {
    let scene = displacement::scene(view, board, panel);
    let title = format!("Precision and recall on {}", panel.title());
    let failed = |message| ReportError::Figure { figure: name.clone(), message };
    let svg = draw::svg(&scene, &title).map_err(failed)?;
    let png = draw::png(&scene).map_err(failed)?;
    Ok(Figure {
        title,
        description: displacement::description(view, board, panel),
        caption: displacement::caption(board).to_owned(),
        escaped: escaped(&scene),
        svg,
        png,
        name,
    })
}

/// The files of a figure.
pub fn files(figure: &Figure) -> Vec<Artefact> {
    let svg = format!("figures/{}.svg", figure.name);
    let png = format!("figures/{}.png", figure.name);
    vec![
        Artefact::new(svg, figure.svg.clone().into_bytes()),
        Artefact::new(png, figure.png.clone()),
    ]
}

fn escaped(scene: &scene::Scene) -> Vec<String> {
    let mut texts: Vec<String> = scene
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            scene::Shape::Text(text) if font::drawable(&text.text) != text.text => {
                Some(text.text.clone())
            }
            _ => None,
        })
        .collect();
    texts.sort();
    texts.dedup();
    texts
}

#[cfg(test)]
mod tests;
