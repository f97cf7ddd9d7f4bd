import { publicKeyOf } from '../../toolkit/key-pairs.ts'
import { describeAttributes, describeTags } from '../vaults/attributes.ts'
import { base64url } from '../wire/body.ts'
import { KINDS } from './key-specs.ts'
import { latest, type HeldKey, type KeyVersion, type ReleasePolicy } from '../vaults/held.ts'
import { identifier, type VaultCall } from '../vaults/vault-call.ts'

/** Cache of public keys, which take long to derive, by the bytes of the private keys. */
const publicHalves = new WeakMap<Buffer, object>()

function publicHalf(version: KeyVersion, bytes: Buffer): object {
  if (KINDS[version.kty].family === 'oct') return {}
  const known = publicHalves.get(bytes)
  if (known !== undefined) return known
  const { n, e, x, y } = publicKeyOf(bytes).export({ format: 'jwk' })
  const half = n === undefined ? { crv: version.crv, x, y } : { n, e }
  publicHalves.set(bytes, half)
  return half
}

const describePolicy = ({ contentType, data, immutable }: ReleasePolicy): object => ({
  contentType,
  data: base64url(data),
  immutable,
})

const keyAttributes = (call: Pick<VaultCall, 'vault'>, version: KeyVersion): object => ({
  ...describeAttributes(call.vault, version),
  exportable: version.exportable,
  ...(KINDS[version.kty].hsm && { hsmPlatform: '2' }),
})

/** A version of a key in the answers of calls about one key. */
export async function keyBundle(
  call: Pick<VaultCall, 'vault' | 'state'>,
  key: HeldKey,
  version: KeyVersion,
): Promise<object> {
  const bytes = await call.state.bytesOf(key, version)
  return {
    key: {
      kid: identifier(call.vault, 'keys', key.name, version.id),
      kty: version.kty,
      key_ops: version.ops,
      ...publicHalf(version, bytes),
    },
    attributes: keyAttributes(call, version),
    ...describeTags(version),
    ...(key.managed === true && { managed: true }),
    ...(version.releasePolicy && { release_policy: describePolicy(version.releasePolicy) }),
  }
}

/** A version of a key in lists, without key material. @param version default: the latest, without its id */
export const keyItem = (call: VaultCall, key: HeldKey, version?: KeyVersion): object => ({
  kid: identifier(call.vault, 'keys', key.name, version?.id),
  attributes: keyAttributes(call, version ?? latest(key)),
  ...describeTags(version ?? latest(key)),
  ...(key.managed === true && { managed: true }),
})
