//! The binary: hands over to `cli` and maps its error to an exit code.

fn main() {}
