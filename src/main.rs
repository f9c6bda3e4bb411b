//! The binary: hands over to `cli` and maps its error to an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = holdshort::runner::local::early_exit() {
        return code;
    }
    let args: Vec<_> = std::env::args_os().collect();
    ExitCode::from(holdshort::cli::run(&args))
}
