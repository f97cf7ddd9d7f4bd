import { ROOT_DOMAIN_ID } from '../base/ids.ts'
import type { Moment } from '../base/moment.ts'
import { StaleCache } from '../base/stale-cache.ts'
import { itemKey } from '../store/layout.ts'
import type { StoredLocalKey } from '../vault/keys/store.ts'
import { STATE_BOUNDS } from './key-use/bounds.ts'
import { readVersion } from './key-use/key-version.ts'
import type { StoredOwner } from '../store/owner.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { alsoBlocksOf } from './served-blocks.ts'
import { readEntity } from './sdkless/dynamo.ts'

/** Fields common to the endpoints of every data plane. */
interface Served {
  readonly domain: string
  /** the version of its local key that protects new data */
  readonly latest: StoredLocalKey
}

/** The protocol-specific part of endpoints whose addresses contain their ids. */
interface Kind<S, E extends Served> {
  /** kind of the items that name the domain of an endpoint */
  readonly owner: string
  /** name of the entity */
  readonly entity: string
  readonly kekIdOf: (stored: S) => string
  /** An endpoint as its data plane needs it. @param before the endpoint of the last read */
  readonly served: (domain: string, stored: S, latest: StoredLocalKey, before: E | undefined) => MaybePromise<E>
}

const ENDPOINT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/**
 * Ours: a refusal may be repeated for this long after an endpoint is enabled or gets a new signing key. Refused calls
 * cause at most one read in this time.
 */
const NOW_MS = 250

/**
 * The owner of an endpoint, the endpoint, and the latest version of its key. Items known from the last read are read in the
 * same batch.
 */
async function read<S, E extends Served>(
  { owner: ownerKind, entity, kekIdOf, served }: Kind<S, E>,
  id: string,
  before: E | undefined,
  now: Moment,
): Promise<E | undefined> {
  const { epochMs } = now
  const endpointIn = (domain: string) => readEntity<S>(itemKey(domain, entity, id), epochMs)
  const [owner, storedBefore, latestBefore] = await Promise.all([
    readEntity<StoredOwner>(itemKey(ROOT_DOMAIN_ID, ownerKind, id), epochMs),
    before && endpointIn(before.domain),
    before && readVersion(before.domain, before.latest.id, epochMs),
  ])
  if (owner === undefined) return undefined
  const { domain } = owner
  alsoBlocksOf(domain, now)
  const stored = before === undefined ? await endpointIn(domain) : storedBefore
  if (stored === undefined) return undefined
  const kekId = kekIdOf(stored)
  const latest = latestBefore?.id === kekId ? latestBefore : await readVersion(domain, kekId, epochMs)
  return latest && served(domain, stored, latest, before)
}

/** The endpoints of one protocol. Both reads throw Refusal UNAVAILABLE. */
export class ServedEndpoints<S, E extends Served> {
  readonly #kind: Kind<S, E>
  readonly #endpoints = new StaleCache<E>(STATE_BOUNDS)

  constructor(kind: Kind<S, E>) {
    this.#kind = kind
  }

  /** An endpoint, at most five seconds old. `undefined` if it does not exist. */
  get(id: string, now: Moment): MaybePromise<E | undefined> {
    if (!ENDPOINT_ID.test(id)) return undefined
    return this.#endpoints.get(id, now, (before) => read(this.#kind, id, before, now))
  }

  /** An endpoint, at most `NOW_MS` old: read before a call is refused. `undefined` if it does not exist. */
  now(id: string, now: Moment): MaybePromise<E | undefined> {
    if (!ENDPOINT_ID.test(id)) return undefined
    return this.#endpoints.youngerThan(NOW_MS, id, now, (before) => read(this.#kind, id, before, now))
  }
}
