/** The API description, put in by the build. */
declare module 'keymgr:openapi' {
  const description: Record<string, unknown>
  export default description
}
