import type { CustomFetch } from 'openid-client'
import { defined } from '../../../base/fields.ts'
import { AddressRefused, sendGuarded } from '../../../base/network/guarded-fetch.ts'
import { isLoopbackAllowed } from '../loopback.ts'
import { NotReached } from '../strategies.ts'

const WITHOUT_BODY: readonly number[] = [204, 205]

/**
 * Requests of the OpenID client: limited in time and size, to servers of the public Internet, without redirects.
 * @throws NotReached, also when the provider fails
 */
export const guardedFetch: CustomFetch = async (address, { method, headers, body }) => {
  const text = body === undefined || body === null ? undefined : String(body as URLSearchParams | string)
  try {
    const reply = await sendGuarded(
      new URL(address),
      { method: method === 'POST' ? 'POST' : 'GET', headers, ...defined({ body: text }) },
      { allowsLoopback: isLoopbackAllowed() },
    )
    if (reply.status >= 500) throw new NotReached('The identity provider fails.')
    return new Response(WITHOUT_BODY.includes(reply.status) ? null : reply.body, {
      status: reply.status,
      headers: [...reply.headers],
    })
  } catch (error) {
    if (error instanceof NotReached) throw error
    const words = error instanceof AddressRefused ? `one of its addresses ${error.message}` : 'it does not answer'
    throw new NotReached(`The identity provider is not reached: ${words}.`, { cause: error })
  }
}

/** The `NotReached` among an error and its causes. */
export function notReachedIn(error: unknown): NotReached | undefined {
  if (error instanceof NotReached) return error
  return error instanceof Error ? notReachedIn(error.cause) : undefined
}
