"""Work that several threads share."""
import threading


def together(work, workers):
    """Calls `work` on so many threads at once, and waits until all have returned."""
    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
