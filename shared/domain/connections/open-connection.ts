import * as z from 'zod'
import type { CloudAConnection } from '../../clouds/cloud-a/types.ts'
import { openFor, sealFor } from '../../keyring/domain-key.ts'
import type { StoredConnection } from '../../store/connection.ts'
import type { Stored } from '../../store/entity.ts'

const Secrets = z.object({ secret_access_key: z.string() })
type Secrets = z.infer<typeof Secrets>

/** What a connection's secrets are sealed as: bound to it, so that no other connection can use them. */
export const secretsPurpose = ({ id }: Pick<StoredConnection, 'id'>): string[] => ['connection', id, 'secrets']

export async function sealSecrets(domain: string, id: string, secrets: Secrets): Promise<string> {
  const clear = Buffer.from(JSON.stringify(secrets))
  try {
    return await sealFor(domain, secretsPurpose({ id }), clear)
  } finally {
    clear.fill(0)
  }
}

/** @returns nothing for a connection without credentials of its own */
async function openSecrets(domain: string, connection: StoredConnection): Promise<Partial<Secrets>> {
  if (connection.sealed === undefined) return {}
  const clear = await openFor(domain, secretsPurpose(connection), connection.sealed)
  try {
    return Secrets.parse(JSON.parse(clear.toString('utf8')))
  } finally {
    clear.fill(0)
  }
}

/** The fields by which a cloud is entered, without secrets; another value in one of them is another way in. */
export const entryOf = (
  connection: Omit<CloudAConnection, 'key'>,
): Omit<CloudAConnection, 'key' | 'secret_access_key'> => ({
  cloud_name: connection.cloud_name,
  access_key_id: connection.access_key_id,
  region: connection.region,
  sts_regional_endpoints: connection.sts_regional_endpoints,
  assume_role_arn: connection.assume_role_arn,
  assume_role_external_id: connection.assume_role_external_id,
})

/**
 * A connection as the cloud is entered by it, secrets opened. What an adapter keeps for it holds until the record
 * changes. @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE
 */
export async function openConnection(
  domain: string,
  { item, rev }: Stored<StoredConnection>,
): Promise<CloudAConnection> {
  return { key: `${item.id}.${rev}`, ...entryOf(item), ...(await openSecrets(domain, item)) }
}
