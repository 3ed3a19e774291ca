// How often and how long.

/** How often the session is looked after while another device, another tab or a provider is at it, in milliseconds. */
export const FOLLOW_MS = 2500;
/** After how long it is asked again after something was asked at once. */
export const FAST_MS = 1000;
/** How long the end is on the screen before it goes back to the business, where it offers nothing and where it does. */
export const [THANKS_S, OFFER_S] = [5, 30];
