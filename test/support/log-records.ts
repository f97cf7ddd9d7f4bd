import { expect, vi } from 'vitest'
import type { Deployment } from '../../infra/local/deployment.ts'

/** A number of lines: exactly, or at least. */
export type LineCount = number | { readonly atLeast: number }

/** On an idle machine a line follows its answer within milliseconds. */
const ARRIVES_WITHIN_MS = 30_000

/** Lines in JSON of a function with these fields, as far as they have arrived. */
const arrived = (deployment: Deployment, source: string, fields: object): any[] =>
  deployment
    .logs()
    .filter((line) => line.source === source && line.text.startsWith('{'))
    .map(({ text }) => JSON.parse(text))
    .filter((line) => Object.entries(fields).every(([name, value]) => line[name] === value))

/**
 * Waits for log lines of a function with these fields: a line may arrive after the answer to its request.
 * @param source name of the function
 */
export async function logRecords(
  deployment: Deployment,
  source: string,
  count: LineCount,
  fields: object,
): Promise<any[]> {
  const least = typeof count === 'number' ? count : count.atLeast
  const found = () => arrived(deployment, source, fields)
  const what = `lines with ${JSON.stringify(fields)}`
  // Hooks use it too, which have no expect.poll.
  await vi.waitFor(() => expect(found().length, what).toBeGreaterThanOrEqual(least), { timeout: ARRIVES_WITHIN_MS })
  if (typeof count === 'number') expect(found(), what).toHaveLength(count)
  return found()
}
