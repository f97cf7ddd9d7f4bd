import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { listedWhole, type ResourceList } from '../../../resource/listed.ts'
import { patternTest } from '../../../http/lists/patterns.ts'
import { compareValues } from '../../../resource/sorted.ts'
import { walk } from '../../../store/list.ts'
import { isKeyAdmin, mayRead } from '../policies/access.ts'
import type { KeyLabel } from '../model.ts'
import { localKeys } from '../store.ts'
import type { KeyLabelQuery } from './query.ts'

/** Ours: most different labels that one answer counts. */
const LABELS_COUNTED = 100_000

/**
 * The labels of the keys that the caller may see, with the number of keys for each. Ours: counted over the list rows of
 * the latest versions, like any filter, at most 100,000. A counter for each label would add up to 50 writes to every
 * change of a key, and creates would contend for the counter of a label that all keys have; and it could not count per
 * caller.
 * @throws Refusal RULE_BROKEN for too many keys or labels
 */
export async function listKeyLabels({ caller }: Context, query: KeyLabelQuery): Promise<ResourceList<KeyLabel>> {
  const counts = new Map<string, number>()
  const isWanted = patternTest(query.label ?? ['*'])
  await walk(localKeys, caller.domain.id, {
    ...{ sets: ['latest'], skip: 0, limit: 0, narrowBy: 'deleting keys' },
    matches: ({ labels, meta, createdAt }) => {
      if (!isKeyAdmin(caller) && !mayRead(caller, { meta, createdAt })) return false
      for (const label of Object.keys(labels)) if (isWanted(label)) counts.set(label, (counts.get(label) ?? 0) + 1)
      if (counts.size > LABELS_COUNTED)
        throw new Refusal('RULE_BROKEN', `There are more than ${LABELS_COUNTED} labels: narrow them by label.`)
      return false
    },
  })
  const labels = [...counts].map(([label, count]) => ({ label, count }))
  labels.sort((a, b) => compareValues(a.label, b.label))
  return listedWhole(labels, query, () => undefined)
}
