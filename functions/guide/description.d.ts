/** The API description, which the build inserts. */
declare module 'keymgr:openapi' {
  const description: Record<string, unknown>
  export default description
}
