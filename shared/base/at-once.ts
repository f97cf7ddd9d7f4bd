/**
 * Runs `work` on every item, `most` at a time; results in the order of the items. The first failure is thrown after the
 * work under way has ended.
 */
export async function atOnce<T, R>(items: readonly T[], most: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length)
  const failures: unknown[] = []
  const left = items.entries()
  const worker = async (): Promise<void> => {
    for (const [at, item] of left) {
      if (failures.length > 0) return
      try {
        results[at] = await work(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
  return results
}
