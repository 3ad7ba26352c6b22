function render() {} export default { render };
