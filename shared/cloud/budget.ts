import type { Context } from '../http/context.ts'

/** Ours: out of the 29 seconds of a request; the rest is for recording the outcome. */
const REQUEST_BUDGET_MS = 25_000

/** Time for all calls of a request to a cloud together. */
export const requestBudget = (): AbortSignal => AbortSignal.timeout(REQUEST_BUDGET_MS)

/** The one budget of a request, or of a resumed piece of work. It starts at the first call of this function. */
export const budgetOf = ({ once }: Pick<Context, 'once'>): Promise<AbortSignal> =>
  once('cloud budget', () => Promise.resolve(requestBudget()))

/** Settles at the latest when the time is up, even if the work does not. */
export async function withinBudget<T>(budget: AbortSignal, work: Promise<T>): Promise<T> {
  const over = Promise.withResolvers<never>()
  const end = () => over.reject(budget.reason)
  if (budget.aborted) end()
  budget.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work, over.promise])
  } finally {
    budget.removeEventListener('abort', end)
  }
}
