import type { Figure } from './figure.ts'

export interface Outcomes {
  readonly figures: readonly Figure[]
  /** Benches that threw, by name. They have no figures. */
  readonly broken: readonly { readonly name: string; readonly error: Error }[]
}

/**
 * Measures each bench; figures are in the order of the names. One that throws does not prevent the others from being
 * measured.
 * @param atOnce benches that run at the same time: one, where figures matter
 */
export async function measureEach(
  names: readonly string[],
  measure: (name: string) => Promise<readonly Figure[]>,
  atOnce = 1,
): Promise<Outcomes> {
  const figures: (readonly Figure[])[] = names.map(() => [])
  const broken: { name: string; error: Error }[] = []
  const waiting = names.entries()
  const lane = async (): Promise<void> => {
    for (const [at, name] of waiting) {
      try {
        figures[at] = await measure(name)
      } catch (error) {
        broken.push({ name, error: error instanceof Error ? error : new Error(String(error)) })
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return { figures: figures.flat(), broken }
}
