import * as z from 'zod'
import { notThere } from '../base/errors.ts'
import { ROOT_DOMAIN_ID, ROOT_DOMAIN_NAME } from '../base/ids.ts'
import { object } from '../base/lazy-fields.ts'
import { trigger, type AnyTrigger } from '../base/trigger.ts'
import { operatorRecord } from '../http/audit/record.ts'
import { auditRecords } from '../http/audit/store.ts'
import { domains } from '../identity/domains/store.ts'
import { Changes } from '../store/changes.ts'
import { changeBoard, withoutRule } from './change-board.ts'
import { approvalRules } from './store.ts'

/**
 * Deletes a rule without the approval that it asks for. Ours: the operator of the deployment uses it for a rule whose
 * approvers are gone. The deletion takes effect in other functions within five seconds.
 * @param names the names of the domain and the rule
 * @throws Refusal NOT_FOUND; Stale if another call changed the rule meanwhile
 */
async function removeRule(
  now: Date,
  names: { readonly domain: string; readonly rule: string },
): Promise<{ readonly deleted: string }> {
  const domain = (await domains.find(ROOT_DOMAIN_ID, 'name', names.domain))?.item.id
  const stored = domain && (await approvalRules.find(domain, 'name', names.rule))
  if (!stored) throw notThere(`The domain ${names.domain} has no approval rule ${names.rule}.`)
  const { id, name, uri } = stored.item
  const changes = new Changes()
  changes.remove(approvalRules, domain, stored)
  await changeBoard(changes, domain, withoutRule(id))
  const details = { action: 'delete-approval-rule', resource_uri: uri, resource_name: name }
  changes.create(
    auditRecords,
    domain,
    operatorRecord(domain, now, { service: 'approvals', message: 'Override Approval Rule', details }),
  )
  await changes.commit(now)
  return { deleted: name }
}

export const APPROVAL_TRIGGERS: readonly AnyTrigger[] = [
  trigger({
    name: 'delete-approval-rule',
    event: object(() => ({ domain: z.string().default(ROOT_DOMAIN_NAME), rule: z.string() })),
    run: (names, { now }) => removeRule(now, names),
  }),
]
