/* Separate from the store: the data plane imports this name but loads no schemas. */

/** Kind of the items of issuers. */
export const ISSUER_KIND = 'ekm-issuer'
