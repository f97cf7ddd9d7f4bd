import type { Context } from '../../../http/context.ts'
import { counted } from '../../../base/counted.ts'
import { Refusal } from '../../../base/errors.ts'
import { BULK_KEYS_MOST } from '../bulk-jobs/model.ts'
import { cloudAKeys, keysOfTemplate, type StoredCloudAKey } from '../keys/store.ts'
import { stageBulkJobs } from '../bulk-jobs/bulk-jobs.ts'

/** Ours: maximum number of jobs in one transaction. */
const JOBS_MOST = 20
const KEYS_MOST = JOBS_MOST * BULK_KEYS_MOST

/** Existing keys that have a template's tag. */
export async function taggedKeys(domain: string, templateId: string): Promise<StoredCloudAKey[]> {
  const keys = await cloudAKeys.getMany(
    domain,
    await cloudAKeys.members(domain, keysOfTemplate(templateId)),
    'leave out',
  )
  return keys.map(({ item }) => item).filter(({ gone }) => !gone)
}

/**
 * Stages jobs that apply a template's policy to every key with its tag. @throws Refusal RULE_BROKEN for too many keys
 */
export async function pushTemplate(context: Context, templateId: string): Promise<void> {
  const keys = await taggedKeys(context.caller.domain.id, templateId)
  if (keys.length > KEYS_MOST)
    throw new Refusal(
      'RULE_BROKEN',
      `${counted(keys.length, 'key carries', 'keys carry')} the template's tag, and at most ${KEYS_MOST} are changed at once: use bulk jobs.`,
      { errors: [{ pointer: '#/auto_push', detail: `is for at most ${KEYS_MOST} keys` }] },
    )
  const parts: StoredCloudAKey[][] = []
  for (let at = 0; at < keys.length; at += BULK_KEYS_MOST) parts.push(keys.slice(at, at + BULK_KEYS_MOST))
  if (parts.length === 0) return
  await stageBulkJobs(
    context,
    parts.map((part) => ({
      operation: 'applypolicytemplate',
      members: part.map((key) => ({ id: key.id, record: key })),
      container_ids: [...new Set(part.map(({ kms_id }) => kms_id))],
      policy_template_id: templateId,
    })),
  )
}
