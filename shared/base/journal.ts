/**
 * The results of the steps of work that takes several calls to a cloud, stored where a crash does not lose them.
 * Running the same verb again with the same journal continues where the last run stopped.
 */
export interface Journal {
  /**
   * A UUID that identifies the work: resources created for it in the cloud are marked with it, so that they can be
   * found again.
   */
  readonly id: string
  /**
   * The result of a step, as JSON without secrets: from the journal, or by doing the step and recording its result
   * before it is returned.
   * @param found searches for the result of an earlier run that could not record it; called first whenever there was an
   * earlier run. A step without it is safe to repeat.
   */
  step<T>(name: string, work: () => Promise<T>, found?: () => Promise<T | undefined>): Promise<T>
  /** The recorded result of a step. */
  noted(name: string): unknown
  /**
   * Those of `refs` that have no record here, including a resource that an earlier run created but could not record.
   */
  unrecorded(refs: readonly string[]): Promise<readonly string[]>
}

/**
 * A step without a result.
 * @param isDone whether an earlier run did it but could not record that
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

/** The step that creates a local key for the work; its result is the id of the key. */
export const LOCAL_KEY_STEP = 'local key'
/** The field of the input with the id of the local key whose material the work uploads. */
export const LOCAL_KEY_INPUT = 'local_key_id'
