import { isFinal } from '../../base/attempts.ts'
import { Refusal } from '../../base/errors.ts'
import { singly, type Single } from '../../http/decisions.ts'
import type { Context } from '../../http/context.ts'
import { contextOnBehalf, recordOnBehalf, type OnBehalf } from '../../http/on-behalf.ts'
import { Changes, retryWhenStale } from '../../store/changes.ts'
import type { StoredSynchronizationJob } from './store.ts'

/** Backups of the keys of one cloud, which a job takes after it has read them. */
export interface Backups<T> {
  readonly summary: string
  /** the single call that takes one backup */
  readonly single: Single
  /** whether jobs of a domain take backups unless they state otherwise */
  readonly isUsual: (domain: string) => Promise<boolean>
  /** whether the key is live and no stored backup has its present version */
  readonly isDue: (domain: string, record: T) => Promise<boolean>
  readonly take: (context: Context, record: T) => Promise<unknown>
}

/** Takes a backup of one key if it is due. @returns whether it was @throws Refusal */
export type BackUp = (record: unknown) => Promise<boolean>

/** Writes the audit record of a backup that was refused for good. */
async function recordRefusal(behalf: OnBehalf, error: unknown): Promise<void> {
  if (!(error instanceof Refusal) || !isFinal(error)) return
  const changes = new Changes()
  recordOnBehalf(changes, behalf, undefined, error)
  await changes.commit(behalf.now)
}

/** How a job backs keys up, each in the name of its initiator; `undefined` if it takes no backups. */
export function backingUp(
  { backups }: { readonly backups?: Backups<unknown> },
  { id, behalf: started }: StoredSynchronizationJob,
  now: Date,
): BackUp | undefined {
  if (backups === undefined || started === undefined) return undefined
  const domain = started.initiator.domain.id
  const { summary, single } = backups
  const behalf: OnBehalf = {
    ...started,
    now,
    summary,
    fingerprint: `synchronization ${id}`,
    action: 'by a synchronization',
  }
  return async (record) => {
    if (!(await backups.isDue(domain, record))) return false
    const { context, subject } = contextOnBehalf(behalf, new Changes())
    try {
      await retryWhenStale(async () => {
        const changes = new Changes()
        await singly({ ...context, changes }, single, (own) => backups.take(own, record))
        recordOnBehalf(changes, behalf, subject())
        await changes.commit(now)
      })
    } catch (error) {
      await recordRefusal(behalf, error)
      throw error
    }
    return true
  }
}
