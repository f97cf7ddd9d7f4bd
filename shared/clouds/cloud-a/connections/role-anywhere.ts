import type { KeyObject } from 'node:crypto'
import { Refusal } from '../../../base/errors.ts'
import { fieldsOf, isGiven, isObject, type Fields } from '../../../base/json.ts'
import { certifiedKey } from '../../../crypto/x509/certified-key.ts'
import { readChain } from '../../../crypto/x509/chain.ts'
import { requireCertifiable } from '../../../crypto/x509/signed.ts'
import type { Own } from '../../../cloud/connections/kind.ts'
import type { Rule } from '../../../http/rules.ts'
import { pointingAt } from '../../../vault/keys/material/material.ts'
import type { GivenRoleAnywhere, RoleAnywhereFields } from './model.ts'

const ARNS = ['anywhere_role_arn', 'profile_arn', 'trust_anchor_arn'] as const
/** The cloud accepts signatures of these curves only. */
const CURVES = new Set(['prime256v1', 'secp384r1'])

const CERTIFICATE = '#/role_anywhere/certificate'
const KEY = '#/role_anywhere/private_key'

/** The ARN in a body; `undefined` if it is absent or malformed. */
function arnIn(body: Fields, name: (typeof ARNS)[number]): { partition: string; region: string } | undefined {
  const { [name]: arn } = fieldsOf(body.role_anywhere)
  const [, partition, , region] = typeof arn === 'string' ? arn.split(':') : []
  return partition === undefined || region === undefined ? undefined : { partition, region }
}

/** @param belongs whether an ARN (roles have an empty region) is of the edition that the body names */
export const anywhereRules = (
  belongs: (body: Fields, arn: { partition: string; region: string }) => boolean,
): readonly Rule[] => [
  {
    message: 'is_role_anywhere true needs role_anywhere',
    field: 'is_role_anywhere',
    broken: (body) => body.is_role_anywhere === true && !isGiven(body.role_anywhere),
  },
  {
    message: 'role_anywhere is only used when is_role_anywhere is true',
    field: 'role_anywhere',
    broken: (body) => isGiven(body.role_anywhere) && body.is_role_anywhere !== true,
  },
  ...ARNS.map((name) => ({
    message: `${name} must be of the edition that cloud_name names`,
    field: `role_anywhere/${name}`,
    broken: (body: Fields) => {
      const arn = arnIn(body, name)
      return arn !== undefined && !belongs(body, arn)
    },
  })),
  {
    message: 'profile_arn and trust_anchor_arn must be of one region',
    field: 'role_anywhere/trust_anchor_arn',
    broken: (body) => {
      const regions = [arnIn(body, 'profile_arn')?.region, arnIn(body, 'trust_anchor_arn')?.region]
      return regions.every(Boolean) && regions[0] !== regions[1]
    },
  },
]

/** Rules that the schema enforces for a complete body, repeated for a partial change. */
export const WHOLE_ROLE_ANYWHERE: readonly Rule[] = [...ARNS, 'certificate'].map((name) => ({
  message: `role_anywhere needs ${name}`,
  field: `role_anywhere/${name}`,
  broken: ({ role_anywhere }) => isObject(role_anywhere) && !isGiven(role_anywhere[name]),
}))

/** @throws Refusal RULE_BROKEN, TOO_MANY_REQUESTS */
async function certifiedIn(pem: string, now: Date): Promise<KeyObject> {
  const { publicKey, notAfter } = readChain(pem)
  if (Date.parse(notAfter) <= now.getTime()) throw new Refusal('RULE_BROKEN', `the certificate expired at ${notAfter}`)
  const { asymmetricKeyType: type, asymmetricKeyDetails: { namedCurve = '' } = {} } = publicKey
  if (type !== 'rsa' && !CURVES.has(namedCurve))
    throw new Refusal('RULE_BROKEN', 'the key must be RSA of 2048 to 4096 bits, or EC on P-256 or P-384')
  await requireCertifiable(publicKey)
  return publicKey
}

/**
 * The checked fields of a body and its private key.
 * @param before former fields; the private key stays if the new certificate has the same key
 * @returns the fields with the given private key, with that of a certificate request made here, or with neither if the
 * present one stays
 * @throws Refusal RULE_BROKEN, TOO_MANY_REQUESTS
 */
export async function checkedRoleAnywhere(
  { private_key, ...fields }: GivenRoleAnywhere,
  before: RoleAnywhereFields | undefined,
  now: Date,
): Promise<Own<RoleAnywhereFields>> {
  if (private_key === undefined && before?.certificate === fields.certificate) return { fields }
  const publicKey = await pointingAt(CERTIFICATE, () => certifiedIn(fields.certificate, now))
  if (private_key !== undefined) {
    const key = await pointingAt(KEY, () => certifiedKey(private_key, publicKey))
    return { fields, secrets: { private_key: key } }
  }
  if (before !== undefined && readChain(before.certificate).publicKey.equals(publicKey)) return { fields }
  return { fields, requested: { name: 'private_key', publicKey, pointer: KEY } }
}
