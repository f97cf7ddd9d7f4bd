/** Origin of the suite's pages. */
export const SUITE_ORIGIN = 'https://client-side-encryption.google.com'
