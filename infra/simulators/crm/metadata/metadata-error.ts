/** A problem of one component of a request; the others are processed. */
export class MetadataError extends Error {
  readonly status: string
  constructor(status: string, message: string) {
    super(message)
    this.status = status
  }
}
