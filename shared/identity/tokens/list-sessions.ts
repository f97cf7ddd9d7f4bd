import { Refusal } from '../../base/errors.ts'
import { reached } from '../../base/time.ts'
import { hasGroup, type Context } from '../../http/context.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import type { Stored } from '../../store/entity.ts'
import type { RefreshToken, RefreshTokenQuery } from './refresh-token-model.ts'
import { refreshTokens, type StoredRefreshToken } from './store.ts'

const maySeeAll = ({ caller }: Context): boolean => hasGroup(caller, 'admin', 'User Admins')

/** A log-in of the caller, or any log-in for user administrators. @throws Refusal NOT_FOUND */
export async function getSession(context: Context, id: string): Promise<Stored<StoredRefreshToken>> {
  const stored = await refreshTokens.get(context.caller.domain.id, id)
  if (stored === undefined || (stored.item.user_id !== context.caller.sub && !maySeeAll(context)))
    throw new Refusal('NOT_FOUND', 'There is no such refresh token.')
  return stored
}

/** Ours: users see at most this many of their own log-ins, the newest; a script may have created any number. */
const OWN_SHOWN_MOST = 1_000

/** The caller's log-ins; all of them for user administrators. */
export async function listSessions(context: Context, query: RefreshTokenQuery): Promise<ResourceList<RefreshToken>> {
  const { caller, now } = context
  const domain = caller.domain.id
  const own = async () =>
    refreshTokens.getMany(domain, (await refreshTokens.members(domain, caller.sub)).slice(-OWN_SHOWN_MOST), 'salvage')
  return listed(refreshTokens, domain, query, {
    ...(maySeeAll(context) ? { served: 'all' } : { served: [], extraItems: await own() }),
    filters: { user_id: query.user_id },
    matches: (row) =>
      (query.expired === undefined || query.expired === reached(row.expiresAt, now)) &&
      (query.revoked === undefined || query.revoked === (row.revokedAt !== undefined)) &&
      (query.labels === undefined || query.labels.some((label) => row.labels.includes(label))),
    matchesNarrows: query.expired !== undefined || query.revoked !== undefined || query.labels !== undefined,
    present: presentSession,
  })
}

export const presentSession = ({ item }: Stored<StoredRefreshToken>): RefreshToken => {
  const { secret_hash: _, home_domain_id: __, auth_method: ___, ...shown } = item
  return shown
}
