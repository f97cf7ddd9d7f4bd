import { createHash } from 'node:crypto'
import * as z from 'zod'
import { BoundedCache } from '../../base/bounded-cache.ts'
import { jsonOf } from '../../base/json.ts'
import { errorFields, log } from '../../base/log.ts'
import { backOff } from '../../store/table.ts'
import { object } from '../../base/lazy-fields.ts'
import { addFigures, OPERATIONS_A_WRITE } from './store.ts'

/** A line in which a function reports its figures, because it does not write to the table otherwise. */
const FiguresLine = object(() => ({ function: z.string().regex(/^[\w-]{1,64}$/), figures: z.string() }))
const Told = z
  .array(z.tuple([z.string().min(1).max(100), z.record(z.string().min(1).max(100), z.int().nonnegative())]))
  .min(1)
  .max(OPERATIONS_A_WRITE)

const ATTEMPTS = 5

/** Ids of added lines, since a transaction's token prevents duplicates only for ten minutes. */
const added = new BoundedCache<true>(1_000)

/**
 * Ours: the token of the transaction is derived from the id of the log event, which is the same in a repeated delivery.
 */
const tokenOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 32)

/**
 * Adds the figures in lines to those in the table. It may receive the same lines twice. It never fails: audit records
 * in the same delivery must not wait for figures.
 */
export async function addDelivered(lines: readonly { readonly id: string; readonly line: unknown }[]): Promise<void> {
  for (const { id, line } of lines) {
    const told = FiguresLine.safeParse(line)
    if (!told.success || added.get(id) === true) continue
    const counted = Told.safeParse(jsonOf(told.data.figures))
    if (!counted.success) continue
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { end } = await addFigures(told.data.function, counted.data, tokenOf(id))
        if (end === 'done') {
          added.set(id, true)
          break
        }
        await backOff(attempt)
      }
    } catch (error) {
      log('warn', 'figures not kept', errorFields(error))
    }
  }
}
