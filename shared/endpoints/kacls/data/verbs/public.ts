import { CALLS } from '../../calls.ts'
import { verb } from '../call.ts'

const VENDOR = 'keymgr'
/** Ours: of the protocol as it is implemented here. */
const VERSION = '1.0'

/** Calls that work, under the names of the reference, one of administrators too. */
const OPERATIONS = [...Object.keys(CALLS), 'wrapprivatekey'].sort()

/** GET status. Needs no token. */
export const status = verb({
  tokens: {},
  message: () => undefined,
  key: () => undefined,
  use: () => ({ server_type: 'KACLS', vendor_id: VENDOR, version: VERSION, operations_supported: OPERATIONS }),
})

/** GET certs: the keys by which other services verify the endpoint's tokens; former ones too, while theirs count. */
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
