import { createHash } from 'node:crypto'
import * as z from 'zod'
import { BoundedCache } from '../../base/bounded-cache.ts'
import { jsonOf } from '../../base/json.ts'
import { errorFields, log } from '../../base/log.ts'
import { backOff } from '../../store/table.ts'
import { addFigures, OPERATIONS_A_WRITE } from './store.ts'

/** A line in which a function tells what it counted: one that writes to the table in no other way. */
const FiguresLine = z.object({ function: z.string().regex(/^[\w-]{1,64}$/), figures: z.string() })
const Told = z
  .array(z.tuple([z.string().min(1).max(100), z.record(z.string().min(1).max(100), z.int().nonnegative())]))
  .min(1)
  .max(OPERATIONS_A_WRITE)

const ATTEMPTS = 5

/** Lines that were added, by their ids: a token counts once for ten minutes only. */
const added = new BoundedCache<true>(1_000)

/** Ours: the id of a log event, which a repeated delivery has again, as the token of its transaction. */
const tokenOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 32)

/**
 * Adds what lines tell to the figures in the table. May be told the same twice. Never fails: audit records that came in the
 * same delivery are not to wait for figures.
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
