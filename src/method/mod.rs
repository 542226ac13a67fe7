//! method

pub mod catalogue;
pub mod loss;
pub mod resample;
