"""What the HTTP servers of coordstream share: addresses, limits for clients, and the thread (the extra ``serve``)."""
