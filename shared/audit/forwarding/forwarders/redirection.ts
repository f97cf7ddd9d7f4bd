import { Refusal } from '../../../base/errors.ts'
import { resourceUri, ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import type { Context } from '../../../http/context.ts'
import { logRedirections } from './store.ts'

const ID = 'redirection'

/**
 * Time since which child domains' records are sent to the targets of the root domain; `undefined` while they are not.
 * One read.
 */
export async function redirectedSince(): Promise<string | undefined> {
  const { item } = (await logRedirections.get(ROOT_DOMAIN_ID, ID)) ?? {}
  return item?.enabled === true ? item.since : undefined
}

export const redirectionStatus = async (): Promise<{ enabled: boolean }> => ({
  enabled: (await redirectedSince()) !== undefined,
})

/**
 * Ours: the root domain decides for all child domains, and only records from then on are sent.
 * @throws Refusal ACTION_DENIED in a child domain
 */
export async function setRedirection(context: Context, enabled: boolean): Promise<{ enabled: boolean }> {
  const { caller, changes, now } = context
  if (caller.domain.id !== ROOT_DOMAIN_ID)
    throw new Refusal('ACTION_DENIED', 'Only the root domain decides whether records of its children are sent to it.')
  const stored = await logRedirections.get(ROOT_DOMAIN_ID, ID)
  context.about({
    uri: resourceUri(ROOT_DOMAIN_ID, 'configs', 'log-forwarders-domain-redirection', ID),
    name: ID,
    before: { enabled: stored?.item.enabled ?? false },
    after: { enabled },
  })
  if (stored?.item.enabled === enabled) return { enabled }
  const item = { id: ID, enabled, since: now.toISOString() } as const
  if (stored) changes.update(logRedirections, ROOT_DOMAIN_ID, stored, item)
  else changes.create(logRedirections, ROOT_DOMAIN_ID, item)
  return { enabled }
}
