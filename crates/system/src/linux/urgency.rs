//! How urgent a thread's work is.

/// The number of the threads that let others go first. Between two threads that both want a core all the time, one of 0
/// gets nine times as much as one of this. One of 19 would get a sixty-eighth, and on a busy machine nothing for seconds.
const LOWER: i32 = 10;

/// Makes the calling thread less urgent: others go first, but it goes on. It stays so.
pub fn lower() {
    // If the system refuses, the thread is as urgent as before. On Linux, this is about the calling thread alone.
    let _ = rustix::process::setpriority_process(None, LOWER);
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
            lower();
            getpriority_process(None)
        });
        assert_eq!(in_thread.join().unwrap(), Ok(LOWER));
        assert_eq!(getpriority_process(None), before);
    }
}
