import { Refusal } from '../../../base/errors.ts'
import type { Moment } from '../../../base/moment.ts'
import { StaleCache } from '../../../base/stale-cache.ts'
import { openSdkless } from '../../../serving/domain-key.ts'
import { readEntity, readHolder } from '../../../serving/sdkless/dynamo.ts'
import { guardKey, itemKey } from '../../../store/layout.ts'
import { rolesOf, type DirectoryApplication } from '../directory.ts'
import { applicationName, secretPurpose } from '../tenants/secret-purpose.ts'
import type { StoredAuthTenant } from '../tenants/store.ts'

/** How long a cached membership is used: a person removed from a group can open nothing after a minute. */
const MEMBERSHIP = { refreshAfterMs: 30_000, staleAfterMs: 60_000, entries: 16_384 }
const memberships = new StaleCache<ReadonlySet<string>>(MEMBERSHIP)

const ENTITY = 'dke-tenant'

/** The application that the domain has for a tenant. @throws Refusal UNAVAILABLE if it has none */
async function applicationOf(domain: string, tenant: string, now: Moment): Promise<DirectoryApplication> {
  const id = await readHolder(guardKey(domain, ENTITY, 'tenant', tenant), now.epochMs)
  const stored =
    id === undefined ? undefined : await readEntity<StoredAuthTenant>(itemKey(domain, ENTITY, id), now.epochMs)
  if (stored === undefined) throw new Refusal('UNAVAILABLE', 'No application reads the directory of this tenant.')
  return {
    name: applicationName(stored),
    tenant,
    clientId: stored.client_id,
    clientSecret: async () => {
      const bytes = await openSdkless(domain, secretPurpose(stored.id), stored.sealed, now)
      const secret = bytes.toString('utf8')
      bytes.fill(0)
      return secret
    },
  }
}

async function readMembership(domain: string, tenant: string, oid: string, now: Moment): Promise<ReadonlySet<string>> {
  const roles = await rolesOf(await applicationOf(domain, tenant, now), oid)
  return new Set(roles.flatMap(({ id, name }) => [id.toLowerCase(), name.trim().toLowerCase()]))
}

/**
 * Ids and names, in lower case, of the groups and roles of a person, at most a minute old.
 * @throws Refusal UNAVAILABLE, CLOUD_DENIED when the directory does not answer: then access is refused
 */
export const membershipOf = async (
  domain: string,
  tenant: string,
  oid: string,
  now: Moment,
): Promise<ReadonlySet<string>> =>
  (await memberships.get(`${domain} ${tenant} ${oid}`, now, () => readMembership(domain, tenant, oid, now))) ??
  new Set()
