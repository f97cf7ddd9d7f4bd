import type { DeletedKey, JsonWebKey, KeyProperties, KeyVaultKey } from '@azure/keyvault-keys'
import { defined } from '../../../base/fields.ts'
import { fieldsOf, jsonOf } from '../../../base/json.ts'
import { CloudBKeyParam, type CloudBReleasePolicy } from '../param.ts'
import type { Version } from './items.ts'
import { refIn } from './names.ts'
import { neutralCurve } from './specs.ts'
import { attributesRead, tagsRead } from './wire.ts'

const encoded = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('base64url')

const keyRead = (key: JsonWebKey) =>
  defined({
    kid: key.kid,
    kty: key.kty,
    key_ops: key.keyOps ?? [],
    crv: key.crv === undefined ? undefined : neutralCurve(key.crv),
    n: encoded(key.n),
    e: encoded(key.e),
    x: encoded(key.x),
    y: encoded(key.y),
  })

type SdkPolicy = NonNullable<KeyProperties['releasePolicy']>

const POLICY_TYPE = 'application/json; charset=utf-8'

const policyRead = ({ encodedPolicy = new Uint8Array(), immutable }: SdkPolicy) =>
  defined({ data: fieldsOf(jsonOf(Buffer.from(encodedPolicy).toString('utf8'))), immutable })

/** The interface's policy in the cloud's form: JSON that the cloud stores unchanged. */
export const policySent = ({ data, immutable }: CloudBReleasePolicy): SdkPolicy => ({
  contentType: POLICY_TYPE,
  encodedPolicy: Buffer.from(JSON.stringify(data)),
  ...defined({ immutable }),
})

/** The interface's description of a version: fields in the order of its schema. */
export function versionRead({ key, properties }: KeyVaultKey | DeletedKey): Version<CloudBKeyParam> {
  const { releasePolicy, managed } = properties
  const param = CloudBKeyParam.parse(
    defined({
      key: keyRead(key ?? {}),
      attributes: attributesRead(properties),
      tags: tagsRead(properties.tags),
      release_policy: releasePolicy && policyRead(releasePolicy),
      managed,
    }),
  )
  return { ref: refIn(param.key.kid), param }
}
