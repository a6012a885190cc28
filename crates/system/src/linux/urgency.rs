//! How urgent a thread's work is.

/// The number of the least urgent threads.
const LEAST: i32 = 19;

/// Makes the calling thread the least urgent: it computes when no other thread wants to. It stays so.
pub fn least() {
    // If the system refuses, the thread is as urgent as before. On Linux, this is about the calling thread alone.
    let _ = rustix::process::setpriority_process(None, LEAST);
}

#[cfg(test)]
mod tests {
    use std::thread;

    use rustix::process::getpriority_process;

    use super::*;

    #[test]
    fn only_the_calling_thread_becomes_less_urgent() {
        let before = getpriority_process(None);
        let in_thread = thread::spawn(|| {
            least();
            getpriority_process(None)
        });
        assert_eq!(in_thread.join().unwrap(), Ok(LEAST));
        assert_eq!(getpriority_process(None), before);
    }
}
