import { ROOT_DOMAIN_ID } from '../../../../base/ids.ts'
import { beforeDeadline, type Moment } from '../../../../base/moment.ts'
import { readVersion } from '../../../../serving/key-use/key-version.ts'
import { readEntity } from '../../../../serving/sdkless/dynamo.ts'
import { itemKey } from '../../../../store/layout.ts'
import type { StoredOwner } from '../../../../store/owner.ts'
import type { StoredLocalKey } from '../../../../vault/keys/store.ts'
import type { CrmIssuer } from '../../issuers/model.ts'
import { servedKeyId } from '../../keys/kid.ts'
import type { StoredServedKey } from '../../keys/store.ts'
import type { StoredCrmEndpoint } from '../store.ts'

/*
 * Ours: nothing is cached. The cloud fetches a key about once a day, so each change takes effect at once.
 */

export interface ServedEndpoint extends StoredCrmEndpoint {
  readonly domain: string
  /** read only for a caller with a token */
  readonly served_issuer: CrmIssuer | undefined
}

/**
 * Ours: an id without a record. It is read in place of a missing issuer, so that every refusal costs the same number of
 * reads.
 */
const NOTHING = 'nothing'

const ENDPOINT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The number of reads depends only on the credentials. */
async function readEndpoint(id: string, hasToken: boolean, epochMs: number): Promise<ServedEndpoint | undefined> {
  const owner = await readEntity<StoredOwner>(itemKey(ROOT_DOMAIN_ID, 'crm-endpoint-owner', id), epochMs)
  const domain = owner?.domain ?? ROOT_DOMAIN_ID
  const stored = await readEntity<StoredCrmEndpoint>(itemKey(domain, 'crm-endpoint', owner ? id : NOTHING), epochMs)
  const issuerId = stored?.issuer_id
  const issuer = hasToken
    ? await readEntity<CrmIssuer>(itemKey(domain, 'crm-issuer', issuerId ?? NOTHING), epochMs)
    : undefined
  return stored && { ...stored, domain, served_issuer: issuer }
}

/**
 * An endpoint, with its issuer for a caller with a token. `undefined` if it does not exist.
 * @throws Refusal UNAVAILABLE
 */
export const servedEndpoint = (id: string, hasToken: boolean, now: Moment): Promise<ServedEndpoint | undefined> =>
  ENDPOINT_ID.test(id) ? beforeDeadline(readEndpoint(id, hasToken, now.epochMs), now) : Promise.resolve(undefined)

/** A cache-only key, and the version of the local key with its material. */
export interface ServedKey {
  readonly domain: string
  readonly key: StoredServedKey
  readonly version: StoredLocalKey | undefined
}

async function readKey({ domain, organization_id }: ServedEndpoint, kid: string, epochMs: number) {
  const id = servedKeyId(organization_id, kid)
  const key = await readEntity<StoredServedKey>(itemKey(domain, 'crm-served-key', id), epochMs)
  return key && { domain, key, version: await readVersion(domain, key.local_key_id, epochMs) }
}

/** A cache-only key of the endpoint's organization. @throws Refusal UNAVAILABLE */
export const servedKey = (endpoint: ServedEndpoint, kid: string, now: Moment): Promise<ServedKey | undefined> =>
  beforeDeadline(readKey(endpoint, kid, now.epochMs), now)
