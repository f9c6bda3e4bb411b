//! What is stranded, what a task adds, and who wins.
