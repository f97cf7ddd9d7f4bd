/** The files of the pages by their addresses, which the build inserts. */
declare module 'keymgr:pages' {
  const pages: Readonly<
    Record<
      string,
      {
        readonly type: string
        /** entity tag, in quotes */
        readonly etag: string
        /** whether its name changes with its content */
        readonly immutable: boolean
        /** gzip, in base64 */
        readonly gzip: string
      }
    >
  >
  export default pages
}
