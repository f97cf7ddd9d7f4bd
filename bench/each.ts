import type { Figure } from './figure.ts'

export interface Outcomes {
  readonly figures: readonly Figure[]
  /** Benches that threw, by name. They have no figures. */
  readonly broken: readonly { readonly name: string; readonly error: Error }[]
}

/** Measures one bench after another. One that throws does not prevent the others from being measured. */
export async function measureEach(
  names: readonly string[],
  measure: (name: string) => Promise<readonly Figure[]>,
): Promise<Outcomes> {
  const figures: Figure[] = []
  const broken: { name: string; error: Error }[] = []
  for (const name of names) {
    try {
      figures.push(...(await measure(name)))
    } catch (error) {
      broken.push({ name, error: error instanceof Error ? error : new Error(String(error)) })
    }
  }
  return { figures, broken }
}
