//! Sixteen numbers side by side, and the functions of them.

/// Numbers of a lane.
pub const LANES: usize = 16;
pub type Lane = [f32; LANES];

/// `a·b + c`.
#[inline(always)]
pub fn add_product<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// The sum of a lane.
#[inline(always)]
pub fn total(mut lane: Lane) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            lane[i] += lane[i + width];
        }
        width /= 2;
    }
    lane[0]
}

/// The sum of what `of` makes of each place, always in the same order.
#[inline(always)]
pub fn sum(count: usize, of: impl Fn(usize) -> f32) -> f32 {
    let mut lane = [0.0; LANES];
    let whole = count / LANES * LANES;
    for first in (0..whole).step_by(LANES) {
        for (i, sum) in lane.iter_mut().enumerate() {
            *sum += of(first + i);
        }
    }
    for (i, sum) in (whole..count).zip(&mut lane) {
        *sum += of(i);
    }
    total(lane)
}

/// eˣ within 1e-7 of it (Cephes' expf).
#[inline(always)]
pub fn exp<const FUSED: bool>(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    // Adding and taking away 1.5·2²³ rounds to a whole number.
    const ROUND: f32 = 12_582_912.0;
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * 0.693_359_4;
    let r = r + n * 2.121_944_4e-4;
    let mut p = 1.987_569_1e-4;
    for c in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        p = add_product::<FUSED>(p, r, c);
    }
    let p = add_product::<FUSED>(p, r * r, r) + 1.0;
    let power = (shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127)) << 23;
    p * f32::from_bits(power)
}

/// The error function within 4e-7 of it, by a quotient of polynomials (Eigen's).
#[inline(always)]
pub fn erf<const FUSED: bool>(x: f32) -> f32 {
    let x = x.clamp(-4.0, 4.0);
    let square = x * x;
    let mut p = -2.726_142_3e-10;
    for c in [
        2.770_681_4e-8,
        -2.101_024e-6,
        -5.692_506_4e-5,
        -7.349_906e-4,
        -2.954_6e-3,
        -1.609_603_3e-2,
    ] {
        p = add_product::<FUSED>(p, square, c);
    }
    let mut q = -1.456_607_2e-5;
    for c in [-2.133_740_6e-4, -1.682_827e-3, -7.373_329e-3, -1.426_473_9e-2] {
        q = add_product::<FUSED>(q, square, c);
    }
    x * p / q
}
