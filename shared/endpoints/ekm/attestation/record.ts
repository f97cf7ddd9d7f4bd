/* Separate from the store: the data plane imports these names but loads no schemas. */

/** Kind and id of the record with the authorities of evidence. */
export const TRUST_KIND = 'ekm-attestation-trust'
export const TRUST_ID = 'trust'
