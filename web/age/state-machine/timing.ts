// Intervals and countdowns.

/** How often the session is polled while another device, another tab or a provider continues it. */
export const FOLLOW_INTERVAL_MS = 2500;
/** The shortest interval between two polls. */
export const MIN_POLL_INTERVAL_MS = 1000;
/** Countdown to the return to the business, without and with offers on the screen. */
export const [AUTO_RETURN_S, AUTO_RETURN_WITH_OFFERS_S] = [5, 30];
