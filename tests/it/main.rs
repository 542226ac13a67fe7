//! The programs from outside: every test starts the real `tailgrid`.

mod crash;
mod docs;
mod layers;
mod linkage;
mod page;
mod program;
mod training;
