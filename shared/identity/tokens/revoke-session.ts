import { ruleBroken } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { getSession } from './list-sessions.ts'
import { recordOf } from './session.ts'
import { refreshTokens, type StoredRefreshToken } from './store.ts'

function revoke({ now, changes }: Context, domainId: string, stored: Stored<StoredRefreshToken>): void {
  if (stored.item.revokedAt !== undefined) return
  const at = now.toISOString()
  changes.update(refreshTokens, domainId, stored, { ...stored.item, revokedAt: at, updatedAt: at })
}

/** Ends the log-in of a refresh token. Unknown tokens are ignored. @see RFC 7009 §2.2 */
async function revokeByValue(context: Context, value: string): Promise<void> {
  const found = await recordOf(value)
  if (found) revoke(context, found.domainId, found.stored)
}

/**
 * Ends the log-in in a request, or else that of its session cookie.
 * @throws Refusal RULE_BROKEN without either, ACTION_DENIED for a cookie from a page of another origin
 */
export async function revokeGiven(context: Context, value: string | undefined): Promise<void> {
  const given = value ?? context.sessionCookie.value()
  if (given === undefined) throw ruleBroken('refresh_token', 'is required without a session cookie')
  await revokeByValue(context, given)
  if (value === undefined) context.sessionCookie.clear()
}

/** Ends the log-in of the caller's token, and that of the session cookie, if any. @throws Refusal ACTION_DENIED */
export async function logOut(context: Context): Promise<void> {
  const { domain, sessionId } = context.caller
  const cookie = context.sessionCookie.value()
  if (cookie !== undefined) {
    context.sessionCookie.clear()
    const found = await recordOf(cookie)
    if (found && found.stored.item.id !== sessionId) revoke(context, found.domainId, found.stored)
  }
  const stored = sessionId === undefined ? undefined : await refreshTokens.get(domain.id, sessionId)
  if (stored) revoke(context, domain.id, stored)
}

export async function revokeById(context: Context, id: string): Promise<void> {
  revoke(context, context.caller.domain.id, await getSession(context, id))
}
