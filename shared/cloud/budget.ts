import type { Context } from '../http/context.ts'

/** Ours: of the 29 seconds of a request; what remains is for writing down what came of it. */
const REQUEST_BUDGET_MS = 25_000

/** Time a request has for all its calls to a cloud together. */
export const requestBudget = (): AbortSignal => AbortSignal.timeout(REQUEST_BUDGET_MS)

/** The one budget of a request, or of a piece of work that is gone on with, from the first time it is asked for. */
export const budgetOf = ({ once }: Pick<Context, 'once'>): Promise<AbortSignal> =>
  once('cloud budget', () => Promise.resolve(requestBudget()))

/** Settles when the time is up, whether the work does or not. */
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
