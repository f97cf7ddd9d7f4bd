/**
 * The results of the steps of work that takes several calls to a cloud, kept where a crash does not lose them. Running the
 * same verb again with the same journal goes on where the last run stopped.
 */
export interface Journal {
  /** A UUID that names the piece of work: what the cloud makes for it is marked with it, so that it can be found again. */
  readonly id: string
  /**
   * The result of a step, which is JSON and no secret: from the journal, or by doing it and writing the result down before it is returned.
   * @param found looks for what an earlier run may have done without having been able to write it down; asked first
   *   whenever there was an earlier run. A step without it is safe to repeat.
   */
  step<T>(name: string, work: () => Promise<T>, found?: () => Promise<T | undefined>): Promise<T>
  /** The result of a step that is done. */
  noted(name: string): unknown
  /** Those of `refs` that no record of ours stands for: among them is what was made and not written down. */
  unrecorded(refs: readonly string[]): Promise<readonly string[]>
}

/**
 * A step without a result.
 * @param isDone whether an earlier run did it without having been able to write that down
 */
export const doOnce = (
  journal: Journal,
  name: string,
  work: () => Promise<unknown>,
  isDone?: () => Promise<boolean>,
): Promise<true> =>
  journal.step(
    name,
    async () => {
      await work()
      return true as const
    },
    isDone && (async () => (await isDone()) || undefined),
  )
