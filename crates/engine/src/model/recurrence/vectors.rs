//! Several numbers side by side, for each instruction set that the passes are compiled for.

/// Numbers that one instruction works on.
///
/// # Safety
/// Every function needs a processor with the instruction set; pointers are read or written for `LANES`
/// numbers.
pub trait Vector: Copy {
    /// Numbers side by side.
    const LANES: usize;
    /// Rows of the largest tile whose sums stay in registers.
    const ROWS: usize;

    unsafe fn splat(number: f32) -> Self;
    unsafe fn load(from: *const f32) -> Self;
    unsafe fn store(self, to: *mut f32);
    unsafe fn plus(self, other: Self) -> Self;
    unsafe fn minus(self, other: Self) -> Self;
    unsafe fn times(self, other: Self) -> Self;
    unsafe fn over(self, other: Self) -> Self;
    /// `self · factor + term`
    unsafe fn times_plus(self, factor: Self, term: Self) -> Self;
    /// Not a number stays so.
    unsafe fn at_most(self, bound: Self) -> Self;
    /// Not a number stays so.
    unsafe fn at_least(self, bound: Self) -> Self;
    /// 2ⁿ of numbers that are `ROUND + n`.
    unsafe fn power_of_two(self) -> Self;

    /// The first `count` numbers, and zeros after them.
    #[inline(always)]
    unsafe fn load_first(from: *const f32, count: usize) -> Self {
        if count >= Self::LANES {
            return unsafe { Self::load(from) };
        }
        let mut numbers = [0.0; MOST_LANES];
        unsafe {
            std::ptr::copy_nonoverlapping(from, numbers.as_mut_ptr(), count);
            Self::load(numbers.as_ptr())
        }
    }

    /// Stores the first `count` numbers.
    #[inline(always)]
    unsafe fn store_first(self, to: *mut f32, count: usize) {
        if count >= Self::LANES {
            return unsafe { self.store(to) };
        }
        let mut numbers = [0.0; MOST_LANES];
        unsafe {
            self.store(numbers.as_mut_ptr());
            std::ptr::copy_nonoverlapping(numbers.as_ptr(), to, count);
        }
    }

    /// 1 / (1 + e⁻ˣ), within 3 units in the last place.
    #[inline(always)]
    unsafe fn sigmoid(self) -> Self {
        unsafe {
            let one = Self::splat(1.0);
            let negative = Self::splat(0.0).minus(self);
            one.over(one.plus(negative.exponential()))
        }
    }

    /// eˣ by a polynomial of Cephes around multiples of ln 2.
    #[inline(always)]
    unsafe fn exponential(self) -> Self {
        unsafe {
            let x = self.at_most(Self::splat(88.0)).at_least(Self::splat(-87.0));
            let moved = x.times_plus(Self::splat(std::f32::consts::LOG2_E), Self::splat(ROUND));
            let whole = moved.minus(Self::splat(ROUND));
            let rest = whole.times_plus(Self::splat(-0.693_359_4), x);
            let rest = whole.times_plus(Self::splat(2.121_944_4e-4), rest);
            let sum = polynomial(
                rest,
                [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5],
            );
            let sum = sum.times_plus(rest.times(rest), rest).plus(Self::splat(1.0));
            sum.times(moved.power_of_two())
        }
    }

    /// The hyperbolic tangent by a rational approximation, within 5 units in the last place.
    #[inline(always)]
    unsafe fn tangent(self) -> Self {
        unsafe {
            let bound = 7.905_311;
            let x = self.at_most(Self::splat(bound)).at_least(Self::splat(-bound));
            let square = x.times(x);
            let above = polynomial(
                square,
                [
                    -2.760_768_4e-16,
                    2.000_188e-13,
                    -8.604_672e-11,
                    5.122_297e-8,
                    1.485_722_4e-5,
                    6.372_619_3e-4,
                    4.893_524_6e-3,
                ],
            );
            let below =
                polynomial(square, [1.198_258_4e-6, 1.185_347_1e-4, 2.268_434_6e-3, 4.893_525e-3]);
            x.times(above).over(below)
        }
    }
}

/// The most lanes that there are.
const MOST_LANES: usize = 16;

/// Added to a number below 2²², it leaves no place for what is behind the point.
const ROUND: f32 = 12_582_912.0;

/// The highest power first.
#[inline(always)]
unsafe fn polynomial<V: Vector, const N: usize>(x: V, factors: [f32; N]) -> V {
    unsafe {
        let mut sum = V::splat(factors[0]);
        for factor in &factors[1..] {
            sum = sum.times_plus(x, V::splat(*factor));
        }
        sum
    }
}

/// What a pass computes, whatever the instruction set.
pub trait Pass {
    /// # Safety
    /// As [`Vector`]; the pass itself says what its pointers have to be.
    unsafe fn run<V: Vector>(&self);
}

/// The instruction sets.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Any,
}

impl Instructions {
    /// The best that this processor has.
    pub fn here() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                return Self::Avx512;
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return Self::Avx2;
            }
        }
        Self::Any
    }

    pub fn lanes(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => 16,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => 8,
            Self::Any => 4,
        }
    }

    /// Runs a pass.
    ///
    /// # Safety
    /// As the pass says; and the processor has the instructions.
    pub unsafe fn run(self, pass: &impl Pass) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { x86::avx512(pass) },
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::avx2(pass) },
            Self::Any => unsafe { pass.run::<Four>() },
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Pass, Vector};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512f")]
    pub unsafe fn avx512(pass: &impl Pass) {
        unsafe { pass.run::<__m512>() }
    }

    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn avx2(pass: &impl Pass) {
        unsafe { pass.run::<__m256>() }
    }

    macro_rules! vector {
        ($type:ty, $lanes:literal, $rows:literal, $set:ident $load:ident $store:ident $add:ident $sub:ident $mul:ident
         $div:ident $fma:ident $min:ident $max:ident $to_int:ident $to_float:ident $set_int:ident $add_int:ident $shift:ident) => {
            impl Vector for $type {
                const LANES: usize = $lanes;
                const ROWS: usize = $rows;

                #[inline(always)]
                unsafe fn splat(number: f32) -> Self {
                    unsafe { $set(number) }
                }
                #[inline(always)]
                unsafe fn load(from: *const f32) -> Self {
                    unsafe { $load(from) }
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut f32) {
                    unsafe { $store(to, self) }
                }
                #[inline(always)]
                unsafe fn plus(self, other: Self) -> Self {
                    unsafe { $add(self, other) }
                }
                #[inline(always)]
                unsafe fn minus(self, other: Self) -> Self {
                    unsafe { $sub(self, other) }
                }
                #[inline(always)]
                unsafe fn times(self, other: Self) -> Self {
                    unsafe { $mul(self, other) }
                }
                #[inline(always)]
                unsafe fn over(self, other: Self) -> Self {
                    unsafe { $div(self, other) }
                }
                #[inline(always)]
                unsafe fn times_plus(self, factor: Self, term: Self) -> Self {
                    unsafe { $fma(self, factor, term) }
                }
                // The second operand is the result where one of them is not a number.
                #[inline(always)]
                unsafe fn at_most(self, bound: Self) -> Self {
                    unsafe { $min(bound, self) }
                }
                #[inline(always)]
                unsafe fn at_least(self, bound: Self) -> Self {
                    unsafe { $max(bound, self) }
                }
                #[inline(always)]
                unsafe fn power_of_two(self) -> Self {
                    unsafe { $to_float($shift::<23>($add_int($to_int(self), $set_int(127)))) }
                }
            }
        };
    }

    vector!(__m512, 16, 6, _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps
        _mm512_div_ps _mm512_fmadd_ps _mm512_min_ps _mm512_max_ps _mm512_castps_si512 _mm512_castsi512_ps
        _mm512_set1_epi32 _mm512_add_epi32 _mm512_slli_epi32);
    vector!(__m256, 8, 2, _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps
        _mm256_div_ps _mm256_fmadd_ps _mm256_min_ps _mm256_max_ps _mm256_castps_si256 _mm256_castsi256_ps
        _mm256_set1_epi32 _mm256_add_epi32 _mm256_slli_epi32);
}

/// Four numbers for any processor.
#[derive(Copy, Clone)]
struct Four([f32; 4]);

impl Four {
    #[inline(always)]
    fn with(self, other: Self, of: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| of(self.0[i], other.0[i])))
    }
}

impl Vector for Four {
    const LANES: usize = 4;
    const ROWS: usize = 2;

    #[inline(always)]
    unsafe fn splat(number: f32) -> Self {
        Self([number; 4])
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        Self(unsafe { from.cast::<[f32; 4]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { to.cast::<[f32; 4]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn minus(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }
    #[inline(always)]
    unsafe fn times(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
    }
    #[inline(always)]
    unsafe fn over(self, other: Self) -> Self {
        self.with(other, |a, b| a / b)
    }
    #[inline(always)]
    unsafe fn times_plus(self, factor: Self, term: Self) -> Self {
        self.with(factor, |a, b| a * b).with(term, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn at_most(self, bound: Self) -> Self {
        self.with(bound, |a, bound| if a > bound { bound } else { a })
    }
    #[inline(always)]
    unsafe fn at_least(self, bound: Self) -> Self {
        self.with(bound, |a, bound| if a < bound { bound } else { a })
    }
    #[inline(always)]
    unsafe fn power_of_two(self) -> Self {
        Self(self.0.map(|x| f32::from_bits(x.to_bits().wrapping_add(127) << 23)))
    }
}

/// The instruction sets of this processor.
#[cfg(test)]
pub fn available() -> Vec<Instructions> {
    let mut sets = vec![Instructions::Any];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            sets.push(Instructions::Avx2);
        }
        if is_x86_feature_detected!("avx512f") {
            sets.push(Instructions::Avx512);
        }
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Curves<'a> {
        numbers: &'a [f32],
        sigmoids: *mut f32,
        tangents: *mut f32,
    }

    impl Pass for Curves<'_> {
        #[inline(always)]
        unsafe fn run<V: Vector>(&self) {
            for at in (0..self.numbers.len()).step_by(V::LANES) {
                let count = self.numbers.len() - at;
                unsafe {
                    let x = V::load_first(self.numbers.as_ptr().add(at), count);
                    x.sigmoid().store_first(self.sigmoids.add(at), count);
                    x.tangent().store_first(self.tangents.add(at), count);
                }
            }
        }
    }

    #[test]
    fn curves_are_right_to_a_few_units_in_the_last_place() {
        let mut numbers: Vec<f32> = (-40_000..=40_000).map(|i| i as f32 / 1000.0).collect();
        numbers.extend([1e-30, -1e-30, 1e-5, -87.5, -100.0, 100.0, f32::MAX, f32::MIN]);
        numbers.extend([f32::INFINITY, f32::NEG_INFINITY, f32::NAN]);
        for set in available() {
            let (mut sigmoids, mut tangents) = (vec![0.0; numbers.len()], vec![0.0; numbers.len()]);
            let curves = Curves {
                numbers: &numbers,
                sigmoids: sigmoids.as_mut_ptr(),
                tangents: tangents.as_mut_ptr(),
            };
            // SAFETY: as many numbers as are written; the set is available.
            unsafe { set.run(&curves) };
            let close = |found: f32, wanted: f64, what: &str, x: f32| {
                let unit = f64::from(f32::EPSILON) * wanted.abs().max(1e-38);
                let is_close = (f64::from(found) - wanted).abs() <= 6.0 * unit;
                assert!(is_close || x.is_nan() && found.is_nan(), "{set:?}, {what} {x}: {found}");
            };
            for ((&x, &sigmoid), &tangent) in numbers.iter().zip(&sigmoids).zip(&tangents) {
                if x > -86.0 {
                    close(sigmoid, 1.0 / (1.0 + (-f64::from(x)).exp()), "sigmoid", x);
                } else {
                    assert!(sigmoid < 1e-37 || x.is_nan(), "{set:?}, sigmoid {x}: {sigmoid}");
                }
                close(tangent, f64::from(x).tanh(), "tanh", x);
            }
        }
    }
}
