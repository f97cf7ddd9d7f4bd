import { Refusal } from '../../base/errors.ts'
import { resourceUri, ROOT_DOMAIN_ID } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'

export const CLIENT_MANAGEMENT = '/v1/client-management'

export const uriOf = (type: 'client' | 'profile' | 'registration-token', id: string): string =>
  resourceUri(ROOT_DOMAIN_ID, 'client-management', type, id)

/**
 * Ours: registered clients belong to the root domain, since they can only log in there. @throws Refusal ACTION_DENIED
 */
export function assertRootDomain({ caller }: Pick<Context, 'caller'>): void {
  if (caller.domain.id !== ROOT_DOMAIN_ID)
    throw new Refusal('ACTION_DENIED', 'Registered clients belong to the root domain: log in there to manage them.')
}

/** Restricts an operation to callers of the root domain. @throws Refusal ACTION_DENIED in a child domain */
export const inRootDomain =
  <A extends readonly unknown[], R>(
    verb: (context: Context, ...args: A) => Promise<R>,
  ): ((context: Context, ...args: A) => Promise<R>) =>
  async (context, ...args) => {
    assertRootDomain(context)
    return verb(context, ...args)
  }
