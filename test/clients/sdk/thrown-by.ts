/** The error that a call ends with; `undefined` when it is answered. */
export const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )
