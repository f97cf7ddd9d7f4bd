import { CALLS } from '../../calls.ts'
import { verb } from '../call.ts'

const VENDOR = 'keymgr'
/** Ours: version of the protocol as implemented here. */
const VERSION = '1.0'

/** Supported calls, under their names in the reference, including one of administrators. */
const OPERATIONS = [...Object.keys(CALLS), 'wrapprivatekey'].sort()

/** GET status. Needs no token. */
export const status = verb({
  tokens: {},
  message: () => undefined,
  key: () => undefined,
  use: () => ({ server_type: 'KACLS', vendor_id: VENDOR, version: VERSION, operations_supported: OPERATIONS }),
})

/**
 * GET certs: the keys with which other services verify the endpoint's tokens; also former ones while they are valid.
 */
export const certs = verb({
  tokens: {},
  message: () => undefined,
  key: () => undefined,
  use: ({ endpoint, now }) => ({
    keys: endpoint.signing.keys
      .filter(({ untilMs }) => now.epochMs < untilMs)
      .map(({ kid, n, e }) => ({ kty: 'RSA', n, e, use: 'sig', alg: 'RS256', kid })),
  }),
  headers: { 'cache-control': 'public, max-age=300' },
})
