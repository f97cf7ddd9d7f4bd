/** A text that the browser saves as a file. */
export interface SavedFile {
  readonly name: string
  /** media type */
  readonly type: string
  readonly text: string
}

/** Makes the browser save a file in the user's downloads. */
export function save({ name, type, text }: SavedFile): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
