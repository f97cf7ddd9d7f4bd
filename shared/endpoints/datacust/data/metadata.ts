import { createPublicKey, type KeyObject } from 'node:crypto'
import { USAGE } from '../../../crypto/usage.ts'
import { materialOf } from '../../../serving/key-use/key-version.ts'
import { assertUsableNow } from '../../../serving/key-use/may-use.ts'
import type { Verb } from '../../../serving/pipeline.ts'
import type { DatacustCall, KeyedCall } from './admit.ts'
import { badRequest } from './errors.ts'
import { integerIn, textIn } from './fields.ts'

/** POST …/get-metadata: of a key store that is neither blocked nor archived, because those refuse. */
export const getKeystoreMetadata: Verb<DatacustCall, void, void> = {
  read: () => undefined,
  key: () => undefined,
  use: ({ keystore: { id, sap_tenant_id } }) => ({ keystore_id: id, sap_tenant_id, state: 'ACTIVE' }),
}

const OPERATIONS = { ENCRYPT: USAGE.encrypt, DECRYPT: USAGE.decrypt, SIGN: USAGE.sign, VERIFY: USAGE.verify }
const POSSIBLE = { AES: ['ENCRYPT', 'DECRYPT'], RSA: ['ENCRYPT', 'DECRYPT', 'SIGN', 'VERIFY'] } as const

/** POST …/keys/{id}/get-metadata: also of a disabled, blocked or archived key. */
export const getMetadata: Verb<KeyedCall, void, void> = {
  read: () => undefined,
  key: () => undefined,
  use: ({ key: { id, state, algorithm, size }, version }) => ({
    key_id: id,
    key_version_id: version.id,
    state,
    key_ops: POSSIBLE[algorithm].filter((name) => (version.local.usageMask & OPERATIONS[name]) !== 0),
    key_spec: `${algorithm}_${size}`,
  }),
}

const SKIP_MOST = 1_000_000
const LIMIT_USUAL = 10
const LIMIT_MOST = 100

/** RFC 3339 with up to nine digits of a second. */
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/

/**
 * Microseconds since 1970. With milliseconds, the list would repeat the caller's last version. `undefined` for an empty
 * time.
 */
function microsecondsOf(text: string): number | undefined {
  const [, seconds = '', fraction = '', zone = ''] = TIME.exec(text) ?? []
  const ms = Date.parse(seconds + zone)
  return Number.isNaN(ms) ? undefined : ms * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

interface Asked {
  readonly skip: number
  readonly limit: number
  readonly versionId: string | undefined
  readonly afterMicroseconds: number
}

/** POST …/keys/{id}/get-versions-metadata: newest first. */
export const getVersionsMetadata: Verb<KeyedCall, Asked, void> = {
  read: ({ fields }) => {
    const after = textIn(fields, 'created_after')
    const afterMicroseconds = after === undefined ? -Infinity : microsecondsOf(after)
    if (afterMicroseconds === undefined) throw badRequest('created_after must be a time as in RFC 3339.')
    return {
      skip: integerIn(fields, 'skip', [0, SKIP_MOST]) ?? 0,
      limit: integerIn(fields, 'limit', [1, LIMIT_MOST]) ?? LIMIT_USUAL,
      versionId: textIn(fields, 'key_version_id'),
      afterMicroseconds,
    }
  },
  key: () => undefined,
  use: ({ key: { versions } }, { skip, limit, versionId, afterMicroseconds }) => {
    const found = versions
      .filter(({ id }) => versionId === undefined || id === versionId)
      .filter(({ created_at }) => (microsecondsOf(created_at) ?? 0) > afterMicroseconds)
      .reverse()
    const resources = found.slice(skip, skip + limit).map(({ id, created_at }) => ({ id, created_at }))
    return { skip, limit, total: found.length, resources }
  },
}

/** POST …/keys/{id}/get-public-key. Ours: a disabled key refuses it, since it is no metadata. */
export const getPublicKey: Verb<KeyedCall, void, KeyObject> = {
  read: ({ key: { algorithm } }) => {
    if (algorithm !== 'RSA') throw badRequest('The key has no public half.')
  },
  key: (call) => {
    const { local } = call.version
    assertUsableNow(local, 'process', call.now)
    return materialOf(call.domain, local, call)
  },
  use: ({ version }, _input, key) => ({
    public_key: createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString(),
    key_version_id: version.id,
  }),
}
