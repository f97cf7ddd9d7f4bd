import { PARTITIONS } from '../../clouds/cloud-a/partitions.ts'
import { Refusal } from '../../errors.ts'
import { ROOT_DOMAIN_ID } from '../../ids.ts'
import { CLOUD_A_NAMES, type CloudAName } from '../../model/cloud-a-key.ts'
import { CONNECTION_RULES } from '../../model/connection.ts'
import type { Rule } from '../../model/rules.ts'

type Fields = Readonly<Record<string, unknown>>

/** The edition a body names; none when it names one that there is not, which is a fault of its own. */
const editionOf = ({ cloud_name: name = 'cloud-a' }: Fields): CloudAName | undefined =>
  CLOUD_A_NAMES.find((one) => one === name)

const isElsewhere = (
  body: Fields,
  value: unknown,
  belongs: (edition: CloudAName, value: string) => boolean,
): boolean => {
  const edition = editionOf(body)
  return edition !== undefined && typeof value === 'string' && !belongs(edition, value)
}

/** Rules between the fields of a connection to cloud-a. */
export const CLOUD_A_RULES: readonly Rule[] = [
  ...CONNECTION_RULES,
  {
    says: 'assume_role_arn must be a role of the edition that cloud_name names',
    field: 'assume_role_arn',
    broken: (body) =>
      isElsewhere(body, body.assume_role_arn, (edition, arn) => arn.split(':')[1] === PARTITIONS[edition].name),
  },
  {
    says: 'region must be one of the edition that cloud_name names',
    field: 'region',
    broken: (body) => isElsewhere(body, body.region, (edition, region) => PARTITIONS[edition].regions.test(region)),
  },
]

/** Holds the rules against a record as a change would leave it. @throws Refusal RULE_BROKEN with every broken rule */
export function assertRules(record: Fields): void {
  const errors = CLOUD_A_RULES.filter(({ broken }) => broken(record) !== false).map(({ field, says }) => ({
    pointer: `#/${field}`,
    detail: says,
  }))
  if (errors.length === 0) return
  throw new Refusal('RULE_BROKEN', `${errors.map(({ detail }) => detail).join('; ')}.`, { errors })
}

/**
 * Refuses ways into a cloud that are not open: certificates, which are not offered yet, and, outside the root domain,
 * the deployment's own role, which would let every domain's administrators into the deployment's own account.
 * @throws Refusal NOT_SUPPORTED, RULE_BROKEN
 */
export function assertOpen(
  domain: string,
  fields: { is_role_anywhere?: boolean | undefined; role_anywhere?: object | undefined; access_key_id?: unknown },
): void {
  const certificate = fields.role_anywhere ? 'role_anywhere' : fields.is_role_anywhere === true && 'is_role_anywhere'
  if (certificate !== false)
    throw new Refusal(
      'NOT_SUPPORTED',
      'Credentials in exchange for a certificate (role_anywhere) are not offered yet.',
      {
        errors: [{ pointer: `#/${certificate}`, detail: 'is not offered yet' }],
      },
    )
  if (typeof fields.access_key_id === 'string' || domain === ROOT_DOMAIN_ID) return
  const detail = 'is required outside the root domain'
  throw new Refusal('RULE_BROKEN', `access_key_id ${detail}.`, { errors: [{ pointer: '#/access_key_id', detail }] })
}
